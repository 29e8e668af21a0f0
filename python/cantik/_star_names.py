"""The names of star imports, as CNTK 2.7's modules bring them beside the names that are their own.

They are there for programs that say `from cntk.layers import *` and go on with `np` or `splice`; `dir` shows
none of them. tests/golden/star_names_cntk.json is the table of CNTK itself.
"""


def _table(text):
    """{key: names} of lines `key: names`; a line that is set in goes on with the one before."""
    lines = text.strip().replace('\n    ', ' ').split('\n')
    return {key: names.split() for key, _, names in (line.partition(':') for line in lines)}


# Where names live: `home: names`, a home being a module, of this package where it begins with a dot.
HOMES = _table('''
__future__: division print_function
abc: ABCMeta abstractmethod
collections: defaultdict deque namedtuple
enum: Enum unique
functools: reduce wraps
importlib: import_module
operator: mul
subprocess: call
types: FunctionType
urllib.request: urlretrieve
warnings: warn
._cantik: DefaultParamInitScale InferredDimension SentinelValueForAutoSelectRandomSeed
    SentinelValueForInferParamInitRank
.axis: Axis
.cntk_py: Dictionary DictionaryValue DictionaryValueFromDict DictionaryValueFromNDArrayView NDShape
.contrib.crosstalkcaffe.adapter.bvlccaffe.caffeimpl: CaffeResolver
.contrib.deeprl.agent.agent: AgentBaseClass
.contrib.deeprl.agent.policy_gradient: ActorCritic
.contrib.deeprl.agent.qlearning: QLearning
.contrib.deeprl.agent.random_agent: RandomAgent
.contrib.deeprl.agent.shared.cntk_utils: huber_loss negative_of_entropy_with_softmax
.contrib.deeprl.agent.shared.discretize: BoxSpaceDiscretizer
.contrib.deeprl.agent.shared.models: Models
.contrib.deeprl.agent.shared.policy_gradient_parameters: PolicyGradientParameters
.contrib.deeprl.agent.shared.qlearning_parameters: QLearningParameters
.contrib.deeprl.agent.shared.replay_memory: ReplayMemory
.contrib.deeprl.agent.tabular_qlearning: TabularQLearning
.contrib.netopt.custom_convolution_ops: CustomMultibit CustomMultibitKernel CustomPySign CustomSign Multibit
    MultibitKernel pySign SignWithEstimation
.core: asarray NDArrayView user_function Value
.default_options: default_options default_override_or get_default_override is_default_override
.device: cpu DeviceDescriptor DeviceKind use_default_device
.initializer: glorot_uniform
.internal.sanitize: data_type_to_dtype is_byte_buffer is_string sanitize_2d_number sanitize_axis
    sanitize_axis_list sanitize_batch sanitize_convolution_args sanitize_dtype_cntk sanitize_dynamic_axes
    sanitize_function sanitize_Function_attributes sanitize_input sanitize_multi_axis_reduction_list
    sanitize_permutation sanitize_pooling_args sanitize_precision sanitize_random_args sanitize_range
    sanitize_shape sanitize_value sanitize_var_map sanitize_variable_value_dict
    sanitize_variables_or_functions
.internal.swig_helper: map_if_possible typemap
.internal.utils: get_data_type get_python_function_arguments map_function_arguments
.io: MinibatchData
.layers.blocks: ForwardDeclaration GRU identity LSTM RNNStep RNNUnit Stabilizer UntestedBranchError
.layers.layers: Dense Label
.layers._writing: _as_tuple _get_initial_state_or_default _INFERRED _initializer_for _inject_name
    _pad_to_shape _sanitize_function _santize_step_function _window
.layers.sequence: PastValueWindow
.learners._writing: _infer_learning_parameter_schedule _infer_learning_rate_schedule_and_ref_minibatch_size
    _infer_ref_minibatch_size_from_legacy_use_mean_gradient _verify_learning_rate_type _verify_momentum_type
.logging: get_trace_level TraceLevel
.misc.converter: convert
.ops: alias batch_normalization combine convolution convolution_transpose dropout output_variable parameter
    placeholder pooling PoolingType_Average PoolingType_Max reconcile_dynamic_axes reduce_mean reshape
    sequence sigmoid slice softmax softplus splice sqrt tanh times unpooling
.ops.functions: BlockFunction CloneMethod Function load_model ModelFormat UserFunction
.tensor: ArrayMixin TensorOpsMixin
.variables: Constant Parameter Record Variable
''')

# Names of modules, and of other things that have another name at home (`module/attribute`).
MODULES = '''
ast collections configparser copy ctypes enum json linecache math numbers os pickle platform random re string
sys textwrap time uuid warnings zipfile
'''.split()
OTHERS = {
    'C': '.',
    'cntk': '.',
    'cntk_py': '.cntk_py',
    'core': '.core',
    'cstk': '.contrib.crosstalk',
    'np': 'numpy',
    'path': 'os.path',
    'sparse': 'scipy.sparse',
    'trainer': '.train.trainer',
    'utils': '.internal.utils',
    'auto_select': '._cantik/SentinelValueForAutoSelectRandomSeed',
    'getargspec': 'inspect/getfullargspec',
}

# What each module brings beside its own names: `module: names`, `cantik` being the package itself.
# `name=home` says where a name lives that lives elsewhere than usual.
NAMES = _table('''
cantik: _to_cntk_dict_value=.internal.utils/_to_cntk_dict_value C cntk_library_path=.cntk_py_init/library_path
    ctypes data_type_to_dtype division enum Enum get_data_type map_if_possible np numbers os platform
    print_function sanitize_axis sanitize_axis_list sanitize_batch sanitize_convolution_args
    sanitize_dtype_cntk sanitize_dynamic_axes sanitize_function sanitize_input
    sanitize_multi_axis_reduction_list sanitize_permutation sanitize_pooling_args sanitize_shape
    sanitize_var_map sparse sys typemap unique utils warnings
axis: cntk_py typemap
cntk_py_init: call linecache os platform sys warnings
contrib: np
contrib.crosstalk: namedtuple np os pickle
contrib.crosstalk.crosstalk_cntk: C cstk np
contrib.crosstalkcaffe.adapter.baseadapter: ABCMeta abstractmethod
contrib.crosstalkcaffe.adapter.bvlccaffe.caffeadapter: baseadapter=.contrib.crosstalkcaffe.adapter.baseadapter
    caffeimpl=.contrib.crosstalkcaffe.adapter.bvlccaffe.caffeimpl
    cntkmodel=.contrib.crosstalkcaffe.unimodel.cntkmodel math os sys time
contrib.crosstalkcaffe.adapter.bvlccaffe.caffeimpl: sys
contrib.crosstalkcaffe.convert: adapter=.contrib.crosstalkcaffe.adapter
    cntkinstance=.contrib.crosstalkcaffe.unimodel.cntkinstance
    globalconf=.contrib.crosstalkcaffe.utils.globalconf sys
    validcore=.contrib.crosstalkcaffe.validation.validcore
contrib.crosstalkcaffe.unimodel.cntkinstance: BlockFunction cntk internal=.internal io=.io learners=.learners
    mul np ops=.ops reduce Trainer=.train.trainer/Trainer xforms=.io.transforms
contrib.crosstalkcaffe.unimodel.cntkmodel: Enum
contrib.crosstalkcaffe.utils.format: json platform re
contrib.crosstalkcaffe.utils.globalconf: format=.contrib.crosstalkcaffe.utils.format
contrib.crosstalkcaffe.validation.validcaffe: ABCMeta abstractmethod CaffeResolver np os sys
contrib.crosstalkcaffe.validation.validcore: np os sys
    validcaffe=.contrib.crosstalkcaffe.validation.validcaffe
contrib.deeprl.agent.agent: ABCMeta abstractmethod BoxSpaceDiscretizer import_module np
contrib.deeprl.agent.agent_factory: ActorCritic configparser QLearning RandomAgent TabularQLearning
contrib.deeprl.agent.policy_gradient: AgentBaseClass ast C Models negative_of_entropy_with_softmax np
    PolicyGradientParameters
contrib.deeprl.agent.qlearning: AgentBaseClass ast C huber_loss math Models np QLearningParameters
    ReplayMemory
contrib.deeprl.agent.random_agent: AgentBaseClass np
contrib.deeprl.agent.shared.cntk_utils: C=.ops
contrib.deeprl.agent.shared.customized_models: C np
contrib.deeprl.agent.shared.discretize: np
contrib.deeprl.agent.shared.models: ast C np
contrib.deeprl.agent.shared.policy_gradient_parameters: configparser
contrib.deeprl.agent.shared.preprocessing: ABCMeta abstractmethod deque np
contrib.deeprl.agent.shared.qlearning_parameters: ast configparser np
contrib.deeprl.agent.shared.replay_memory: division math namedtuple random
contrib.deeprl.agent.tabular_qlearning: AgentBaseClass copy np QLearningParameters
contrib.netopt: C sys
contrib.netopt.custom_convolution_ops: C np UserFunction
contrib.netopt.factorization: BlockFunction cntk default_override_or get_default_override identity
    is_default_override np Parameter times UntestedBranchError
contrib.netopt.quantization: C CustomMultibit CustomMultibitKernel CustomPySign CustomSign Multibit
    MultibitKernel np pySign SignWithEstimation UserFunction
core: cntk_py cpu data_type_to_dtype DeviceKind np numbers sanitize_batch sparse typemap use_default_device
    warnings
debugging: CloneMethod cntk_py defaultdict division map_if_possible output_variable print_function sys
    user_function UserFunction
debugging.debug: CloneMethod cntk_py defaultdict map_if_possible output_variable sys user_function
    UserFunction
debugging.profiler: cntk_py
default_options:
device: cntk_py Enum typemap unique
eval: cntk_py MinibatchData sanitize_function sanitize_var_map typemap use_default_device
eval.evaluator: cntk_py MinibatchData sanitize_function sanitize_var_map typemap use_default_device
initializer: cntk_py DefaultParamInitScale SentinelValueForAutoSelectRandomSeed
    SentinelValueForInferParamInitRank
internal: _as_tuple Axis C cntk cntk_py collections np numbers
internal.sanitize: _as_tuple Axis C cntk_py collections np numbers typemap
internal.swig_helper: cntk_py wraps
internal.utils: cntk_py Dictionary DictionaryValue DictionaryValueFromDict DictionaryValueFromNDArrayView
    NDArrayView np
io: ArrayMixin cntk cntk_py get_trace_level is_string np Record sanitize_dtype_cntk TraceLevel typemap
    use_default_device uuid Value warnings
io.transforms: cntk_py sanitize_2d_number sanitize_range
layers: alias attention=.layers.models.attention Axis batch_normalization C combine convolution
    convolution_transpose division dropout FunctionType get_python_function_arguments getargspec
    InferredDimension map_function_arguments NDShape np placeholder pooling PoolingType_Average
    PoolingType_Max reconcile_dynamic_axes reduce_mean reshape sanitize_shape
    SentinelValueForAutoSelectRandomSeed sequence sigmoid slice softplus splice sqrt tanh times unpooling warn
layers.blocks: _as_tuple _get_initial_state_or_default _INFERRED _initializer_for _inject_name alias
    BlockFunction combine Constant default_override_or division Function get_default_override glorot_uniform
    InferredDimension np Parameter placeholder sigmoid slice softplus tanh times
layers.higher_order_layers: _inject_name FunctionType getargspec identity
layers.layers: _as_tuple _INFERRED _initializer_for _pad_to_shape _window batch_normalization BlockFunction C
    Constant convolution convolution_transpose default_override_or division dropout Function
    get_default_override identity is_default_override NDShape np Parameter pooling PoolingType_Average
    PoolingType_Max Record reduce_mean reshape SentinelValueForAutoSelectRandomSeed sequence splice sqrt times
    unpooling UntestedBranchError
layers.models: C default_options default_override_or Dense division Function get_default_override
    glorot_uniform Label PastValueWindow Stabilizer warn
layers.models.attention: _inject_name C default_options default_override_or Dense division Function
    get_default_override glorot_uniform Label PastValueWindow Stabilizer warn
layers.sequence: _get_initial_state_or_default _inject_name _sanitize_function _santize_step_function alias
    BlockFunction combine Constant default_override_or division ForwardDeclaration Function
    get_default_override glorot_uniform GRU identity InferredDimension LSTM np Parameter placeholder
    reconcile_dynamic_axes Record RNNStep RNNUnit sequence sigmoid slice softplus splice Stabilizer tanh times
    UntestedBranchError
layers.typing: _as_tuple Axis get_python_function_arguments map_function_arguments np Record sanitize_shape
    Variable
learners: _infer_learning_parameter_schedule _infer_learning_rate_schedule_and_ref_minibatch_size
    _infer_ref_minibatch_size_from_legacy_use_mean_gradient _verify_learning_rate_type _verify_momentum_type
    asarray cntk_py Enum map_if_possible NDArrayView np typemap unique utils warnings
logging: cntk_py core cpu division Enum os print_function sys time unique Variable
logging.graph: os sys Variable
logging.progress_print: cntk_py core cpu division print_function sys time
losses: auto_select Axis C CloneMethod Constant division Function get_data_type np Parameter parameter
    print_function sanitize_axis sanitize_dynamic_axes sanitize_input sanitize_shape softmax times typemap
    Variable
metrics: division get_data_type print_function sanitize_axis sanitize_input typemap
misc: C np
misc.converter: C
misc.optimized_rnnstack_converter: C convert np
ops: Axis BlockFunction CloneMethod cntk_py default_override_or division get_data_type get_default_override
    load_model ModelFormat np numbers print_function sanitize_axis sanitize_axis_list
    sanitize_convolution_args sanitize_dtype_cntk sanitize_dynamic_axes sanitize_input
    sanitize_multi_axis_reduction_list sanitize_permutation sanitize_pooling_args sanitize_shape
    SentinelValueForAutoSelectRandomSeed typemap use_default_device
ops.functions: _as_tuple cntk cntk_py collections cpu DeviceDescriptor Enum get_python_function_arguments
    is_byte_buffer map_function_arguments map_if_possible path Record sanitize_batch sanitize_dtype_cntk
    sanitize_Function_attributes sanitize_var_map sanitize_variable_value_dict sanitize_variables_or_functions
    sys typemap unique Value Variable warnings
ops.sequence: Axis default_override_or get_data_type np sanitize_input typemap
random: auto_select default_override_or division np print_function sanitize_input sanitize_random_args typemap
sample_installer: os print_function string sys textwrap urlretrieve warnings zipfile
tensor: sparse warnings
train: cntk_py ctypes Enum enum MinibatchData platform sanitize_function sanitize_var_map sys typemap unique
    use_default_device
train.distributed: cntk_py ctypes platform trainer typemap
train.trainer: cntk_py MinibatchData sanitize_function sanitize_var_map typemap use_default_device
train.training_session: _as_tuple cntk_py Enum enum sanitize_function sanitize_var_map sys typemap unique
    use_default_device
variables: cntk_py default_override_or DeviceDescriptor get_default_override NDArrayView np
    sanitize_dtype_cntk sanitize_dynamic_axes sanitize_precision sanitize_shape sanitize_value TensorOpsMixin
    typemap use_default_device
''')
